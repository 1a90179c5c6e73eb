"""What the product does for whoever asks: one use case a module, from a request to a result, without a command line."""

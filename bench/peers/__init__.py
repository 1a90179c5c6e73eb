"""What the product is measured against: each peer is one whole process that reads the same orders."""

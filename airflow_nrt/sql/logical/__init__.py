"""What a query does, clause by clause: typed nodes that grow while it is planned, and functions over them."""

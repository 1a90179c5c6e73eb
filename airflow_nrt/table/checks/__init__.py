"""Problems of a program and their places: errors for arguments and unknown names."""

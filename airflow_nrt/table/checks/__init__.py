"""What is wrong in a program, and where: errors of arguments and of names that nothing has."""

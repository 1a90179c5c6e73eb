"""What a changed report changes, insert by insert: compared with the report that a home was made for."""

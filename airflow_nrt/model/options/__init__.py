"""Options of tables and settings of reports: which there are, and what their texts mean."""

#!/bin/sh
# Once, before all others: the tables of the database, and the password of the one user.
set -eu
umask 077
python -c 'import json, os; print(json.dumps({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}))' \
  > "$AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"
exec airflow db migrate

"""A MySQL in a process of its own, where there is one: `MYSQLD` names its `mysqld`.

Debian has it in its unstable suite alone. Without an installation: `apt-get download` of `mysql-server-core` and of all
that it depends on, with lists of that suite in a directory of their own, `dpkg-deb -x` of each into a directory ROOT,
and a script that calls the `mysqld` in it by the loader in it:

    LIB=ROOT/usr/lib/x86_64-linux-gnu
    exec $LIB/ld-linux-x86-64.so.2 --library-path $LIB ROOT/usr/sbin/mysqld "$@" --basedir=ROOT/usr \\
        --lc-messages-dir=ROOT/usr/share/mysql --character-sets-dir=ROOT/usr/share/mysql/charsets
"""

from __future__ import annotations

import os
from typing import ClassVar

from tests.servers.mariadb import MariaDb

MYSQLD = os.environ.get("MYSQLD")


class MySqlServer(MariaDb):
    """As `MariaDb`, whose client serves it, too."""

    programs: ClassVar = (MYSQLD or "mysqld", "mariadb")
    options: ClassVar = ("--secure-file-priv=NULL", "--mysqlx=OFF")
    """It needs no directory of the system, and no second port."""

    @property
    def url(self) -> str:
        """Without TLS the driver asks the server for the key with which it sends the password."""
        return f"jdbc:mysql://127.0.0.1:{self.port}/app?allowPublicKeyRetrieval=true"

    def _install(self) -> list[str]:
        return [self.programs[0], "--no-defaults", "--initialize-insecure"]

"""The parameters of a driver's URLs that a placeholder's value may be in.

Others choose code, files of the driver's host or another server (`socketFactory`, `PGHOST`), now or in a later version.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Driver:
    """`values` may come from a run, `places` only from the author: files, and how a connection is protected.

    `decodes`: whether `%20` is a space to it.
    """

    values: frozenset[str]
    places: frozenset[str]
    decodes: bool


_POSTGRESQL = Driver(
    frozenset(
        """
        ApplicationName adaptiveFetch adaptiveFetchMaximum adaptiveFetchMinimum assumeMinServerVersion autosave
        binaryTransfer binaryTransferDisable binaryTransferEnable cancelSignalTimeout cleanupSavepoints connectTimeout
        currentSchema databaseMetadataCacheFields databaseMetadataCacheFieldsMiB defaultRowFetchSize
        disableColumnSanitiser escapeSyntaxCallMode groupStartupParameters hideUnprivilegedObjects
        hostRecheckSeconds loadBalanceHosts logServerErrorDetail logUnclosedConnections loginTimeout
        maxResultBuffer maxSendBufferSize password preferQueryMode prepareThreshold preparedStatementCacheQueries
        preparedStatementCacheSizeMiB quoteReturningIdentifiers reWriteBatchedInserts readOnly readOnlyMode
        receiveBufferSize sendBufferSize socketTimeout stringtype targetServerType tcpKeepAlive tcpNoDelay
        unknownLength user
        """.split()
    ),
    frozenset(
        """
        allowEncodingChanges channelBinding gssEncMode gssResponseTimeout kerberosServerName options protocolVersion
        replication requireAuth ssl sslNegotiation sslResponseTimeout sslcert sslkey sslmode sslpassword sslrootcert
        useSpnego sspiServiceClass
        """.split()
    ),
    decodes=True,
)
_MARIADB = Driver(
    frozenset(
        """
        autoReconnect cachePrepStmts characterEncoding connectTimeout connectionAttributes connectionCollation
        connectionTimeZone defaultFetchSize forceConnectionTimeZoneToSession
        maxAllowedPacket password permitMysqlScheme permitNoResults prepStmtCacheSize preserveInstants
        rewriteBatchedStatements socketTimeout tcpAbortiveClose tcpKeepAlive timezone tinyInt1isBit
        transformedBitIsBoolean useAffectedRows useBulkStmts useCompression useMysqlMetadata useServerPrepStmts
        useUnicode user yearIsDateType zeroDateTimeBehavior
        """.split()
    ),
    frozenset(
        """
        allowPublicKeyRetrieval cachingRsaPublicKeyFile disableSslHostnameVerification enabledSslCipherSuites
        enabledSslProtocolSuites keyPassword keyStore keyStorePassword keyStoreType requireSSL restrictedAuth
        serverRsaPublicKeyFile serverSslCert serverTimezone sslMode trustServerCertificate trustStore
        trustStorePassword trustStoreType useSSL useSsl verifyServerCertificate
        """.split()
    ),
    decodes=False,
)
_OTHER = Driver(frozenset(), frozenset(), decodes=True)
_DRIVERS = {"jdbc:postgresql": _POSTGRESQL, "jdbc:mysql": _MARIADB, "jdbc:mariadb": _MARIADB}


def driver_of(scheme: str) -> Driver:
    """The driver of the URLs that begin with this scheme, such as `jdbc:postgresql`."""
    return _DRIVERS.get(scheme.lower(), _OTHER)


def is_database(scheme: str) -> bool:
    return scheme.lower().startswith("jdbc:")

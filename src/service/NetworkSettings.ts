/** How the network is reached; the editor's settings and the environment's variables say it. */
export interface NetworkSettings {
  /** Address of the proxy, as it was entered. */
  readonly proxy?: string | undefined;
  /** Hosts that are reached without it: `example.com` with all below it, `example.com:8443`, or `*`. */
  readonly noProxy?: readonly string[] | undefined;
  /** The whole `Proxy-Authorization` header; without it, user and password of the proxy's address count. */
  readonly proxyAuthorization?: string | undefined;
  /** False to take any certificate from the proxy itself; those of hosts are always checked. */
  readonly proxyStrictSSL?: boolean | undefined;
  /** Whether the operating system's certificate authorities count beside those that Node brings. */
  readonly systemCertificates?: boolean | undefined;
}

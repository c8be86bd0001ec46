export interface SandboxErrorDetails {
  /** Name of the invalid request field. */
  readonly param?: string | undefined;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response; its body is `{"error":{"message","type","param","code"}}`. */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly status: number;
  readonly details: SandboxErrorDetails;

  constructor(status: number, message: string, details: SandboxErrorDetails = {}) {
    super(message);
    this.status = status;
    this.details = details;
  }

  get body(): unknown {
    const { param = null, code = null } = this.details;
    return { error: { message: this.message, type: typeOf(this.status), param, code } };
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 404 || status === 410) return 'not_found_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
}

export type OAuthErrorCode =
  | 'access_denied'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** A refusal in the shape of RFC 6749 §5.2: what the token endpoints answer with. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly statusCode: number;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.name = 'OAuthError';
    this.code = code;
    this.statusCode = code === 'invalid_client' ? 401 : 400;
  }
}

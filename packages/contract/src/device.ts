import { z } from 'zod';
import { DeviceName, Id, Timestamp } from './entities.ts';
import { Base64Url32 } from './link-fields.ts';

/** Signing in a device: RFC 8628, with JSON in the place of forms. */

/** POST /auth/v1/device (RFC 8628 §3.1): which program asks, and on which machine. */
export const DeviceInput = z.object({ client: DeviceName, host: DeviceName });
export type DeviceInput = z.infer<typeof DeviceInput>;
/** RFC 8628 §3.2. The device keeps `device_code` to itself, and shows all else. */
export const DeviceOutput = z.object({
  device_code: Base64Url32,
  user_code: z.string(),
  verification_uri: z.url(),
  verification_uri_complete: z.url(),
  expires_in: z.number().int().positive(),
  interval: z.number().int().positive(),
});
export type DeviceOutput = z.infer<typeof DeviceOutput>;

/** POST /auth/v1/token (RFC 8628 §3.4). */
export const TokenInput = z.object({
  grant_type: z.literal('urn:ietf:params:oauth:grant-type:device_code'),
  device_code: Base64Url32,
});
export type TokenInput = z.infer<typeof TokenInput>;
/** RFC 6749 §5.1. The token is given out once; `Authorization: Bearer` takes the cookie's place on the JSON routes. */
export const TokenOutput = z.object({
  access_token: Base64Url32,
  token_type: z.literal('Bearer'),
  expires_in: z.number().int().positive(),
});
export type TokenOutput = z.infer<typeof TokenOutput>;
/** 400: in the shape of RFC 6749 §5.2. A request that is malformed, or too many, get the catalogue's errors as everywhere. */
export const TokenRefusal = z.object({
  error: z.enum(['authorization_pending', 'slow_down', 'access_denied', 'expired_token']),
  error_description: z.string(),
});
export type TokenRefusal = z.infer<typeof TokenRefusal>;

/** POST /auth/v1/device/find: who waits with the code that a signed-in person typed. */
export const FindDeviceInput = z.object({ user_code: z.string().max(64) });
export type FindDeviceInput = z.infer<typeof FindDeviceInput>;
export const WaitingDevice = z.object({
  id: Id,
  user_code: z.string(),
  client: z.string(),
  host: z.string(),
  /** The address that asked, or the /64 of an IPv6 address. */
  network: z.string(),
  /** Whether the person's browser has the same network. */
  is_same_network: z.boolean(),
  created_at: Timestamp,
  expires_at: Timestamp,
});
export type WaitingDevice = z.infer<typeof WaitingDevice>;
/** POST /auth/v1/device/decide: Allow or Refuse. */
export const DecideDeviceInput = z.object({ id: Id, is_allowed: z.boolean() });
export type DecideDeviceInput = z.infer<typeof DecideDeviceInput>;

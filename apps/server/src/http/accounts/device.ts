import {
  DecideDeviceInput,
  DeviceInput,
  DeviceOutput,
  FindDeviceInput,
  TokenInput,
  TokenOutput,
  TokenRefusal,
  WaitingDevice,
} from '@satchel/contract/device';
import { DEVICE_PAGE, DEVICE_PATHS } from '@satchel/contract/device-code';
import { DEVICE_CODE_SECONDS, DEVICE_POLL_SECONDS } from '@satchel/contract/limits';
import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { createDeviceCode, decideDevice, findDevice, pollDevice } from '../../domain/accounts/device-codes.ts';
import type { AppDeps } from '../deps.ts';
import { networkOf } from '../networks.ts';
import { refuseOtherSites } from '../origin.ts';
import { requireViewer, signedIn } from '../requester.ts';

/** More than any of these calls needs. */
const bodyLimit = 1024;

/** A malformed request is refused as on every route, before it gets here. */
const CatalogueError = z.object({ error: z.looseObject({ code: z.string() }) });

/** RFC 6749 §5.2: "error_description … Human-readable ASCII text providing additional information". */
const DESCRIPTIONS: Readonly<Record<TokenRefusal['error'], string>> = {
  authorization_pending: 'The code has not been answered on the page yet',
  slow_down: 'Wait five seconds longer between two requests',
  access_denied: 'The person refused this device',
  expired_token: 'The code is no longer valid. Ask for a new one',
};

/** Signing in a device (RFC 8628). */
export function deviceRoutes({ config, database: { db }, tokens }: AppDeps): FastifyPluginAsyncZod {
  // What the device does: no page of another site may make a visitor's browser ask in its place.
  const asDevice = {
    bodyLimit,
    onRequest: async (request: FastifyRequest) => refuseOtherSites(request, config),
  };
  // What the person does, in a browser: a device can't let in another one.
  const asPerson = { bodyLimit, preValidation: signedIn };

  return async (app) => {
    app.post(
      DEVICE_PATHS.codes,
      { ...asDevice, schema: { body: DeviceInput, response: { 200: DeviceOutput } } },
      async (request) => {
        const network = networkOf(request.ip);
        const { device_code, user_code } = await createDeviceCode(db, { ...request.body, network });
        const verification_uri = `${config.publicUrl}${DEVICE_PAGE}`;
        return {
          device_code,
          user_code,
          verification_uri,
          // After the #, where neither this server nor a proxy logs it.
          verification_uri_complete: `${verification_uri}#${user_code}`,
          expires_in: DEVICE_CODE_SECONDS,
          interval: DEVICE_POLL_SECONDS,
        };
      },
    );

    app.post(
      DEVICE_PATHS.token,
      {
        ...asDevice,
        schema: { body: TokenInput, response: { 200: TokenOutput, 400: z.union([TokenRefusal, CatalogueError]) } },
      },
      async (request, reply) => {
        const polled = await pollDevice(db, request.body.device_code);
        if ('error' in polled) {
          const { error } = polled;
          return reply.code(400).send({ error, error_description: DESCRIPTIONS[error] });
        }
        const { profile_id, ...token } = polled;
        request.log.info({ user: tokens.hashForLog(profile_id) }, 'device signed in');
        return token;
      },
    );

    // RFC 8628 §5.1: "it is recommended that the server rate-limit user code attempts" (http/rate-limits).
    app.post(
      DEVICE_PATHS.find,
      { ...asPerson, schema: { body: FindDeviceInput, response: { 200: WaitingDevice } } },
      async (request) => {
        const device = await findDevice(db, request.body.user_code);
        return { ...device, is_same_network: device.network === networkOf(request.ip) };
      },
    );

    app.post(DEVICE_PATHS.decide, { ...asPerson, schema: { body: DecideDeviceInput } }, async (request, reply) => {
      await decideDevice(db, requireViewer(request), request.body);
      return reply.code(204).send();
    });
  };
}

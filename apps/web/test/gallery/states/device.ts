import { DEVICE_PATHS } from '@satchel/contract/device-code';
import { accountOf, hoursFromNow, MIKA, refusal, waitingDevice } from '../../answers.ts';
import { type Answers, waiting } from '../../given-server.ts';
import type { Given, State } from '../state.ts';

/** The page that lets a command line in. */

const FIND = `POST ${DEVICE_PATHS.find}`;
const DECIDE = `POST ${DEVICE_PATHS.decide}`;
const OVER = refusal(410, 'device.over');
const TYPING = 'Code from your terminal';
const ASKED = 'Let this command line in?';
const device = (answers: Answers, address = '/device'): Given => ({
  address,
  answers: { ...accountOf(MIKA), ...answers },
});
const found = (changes: Parameters<typeof waitingDevice>[0] = {}, decide: Answers[string] = 204): Given =>
  device({ [FIND]: waitingDevice(changes), [DECIDE]: decide }, '/device#WDJB-MJHT');
const refusedBy = (answer: Answers[string]): Given => device({ [FIND]: answer }, '/device#WDJB-MJHT');

export const DEVICE: readonly State[] = [
  { name: 'device', given: () => device({}), text: TYPING },
  {
    name: 'device-short',
    given: () => device({}),
    text: TYPING,
    async steps({ type, press, shown }) {
      await type(TYPING, 'WDJB');
      await press('Continue');
      await shown('A code has eight letters.');
    },
  },
  { name: 'device-wrong', given: () => refusedBy(refusal(404, 'device.wrong_code')), text: /^No command line waits/ },
  { name: 'device-expired', given: () => refusedBy(OVER), text: /^This code is no longer valid\. / },
  {
    name: 'device-tries',
    given: () => refusedBy(refusal(429, 'request.too_many', { retry_after_seconds: 42 })),
    text: /^Too many requests/,
  },
  { name: 'device-looking', given: () => refusedBy(waiting), text: /^Looking for your command line/ },
  { name: 'device-asked', given: () => found(), text: ASKED },
  {
    name: 'device-asked-elsewhere',
    given: () =>
      found({
        host: 'build-machine-with-a-name-as-long-as-a-host-may-have.example',
        network: '2001:db8:7c1f:90a2::/64',
        is_same_network: false,
      }),
    text: /^The request comes from another network/,
  },
  {
    name: 'device-asked-failed',
    given: () => found({}, 500),
    text: ASKED,
    async steps({ press, shown }) {
      await press('Allow');
      await shown(/unexpected error/);
    },
  },
  {
    name: 'device-over',
    given: () => found({ expires_at: hoursFromNow(-0.1) }),
    text: /^A code is good for ten minutes/,
  },
  {
    name: 'device-allowed',
    given: () => found(),
    text: ASKED,
    async steps({ press, shown }) {
      await press('Allow');
      await shown('Allowed');
    },
  },
  {
    name: 'device-refused',
    given: () => found(),
    text: ASKED,
    async steps({ press, shown }) {
      await press('Refuse');
      await shown('Refused');
    },
  },
  {
    name: 'device-signed-out',
    given: () => ({ address: '/device#WDJB-MJHT' }),
    text: 'Sign in to let a command line in',
  },
];

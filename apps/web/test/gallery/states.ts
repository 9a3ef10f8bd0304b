import type { State } from './state.ts';
import { ACCOUNT } from './states/account.ts';
import { DEVICE } from './states/device.ts';
import { FOLDERS } from './states/folders.ts';
import { OPERATOR } from './states/operator.ts';
import { OWNERS } from './states/owners.ts';
import { PAGES } from './states/pages.ts';
import { UPLOADS } from './states/uploads.ts';
import { VIEWER } from './states/viewer.ts';

/** Every screen in every state. */
export const STATES: readonly State[] = [
  ...PAGES,
  ...FOLDERS,
  ...ACCOUNT,
  ...DEVICE,
  ...OPERATOR,
  ...OWNERS,
  ...VIEWER,
  ...UPLOADS,
];

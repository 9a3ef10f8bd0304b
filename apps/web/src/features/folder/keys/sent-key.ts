import { t } from '@lingui/core/macro';
import { notify } from '../../../lib/base/toast.ts';

/** Warns that the server received the key; shell/start.ts has moved it from the path to the fragment. */
export const tellOfSentKey = (): void =>
  notify(
    () =>
      t`This link was changed on its way: its # became %23, so its key was sent to the server, too. The server doesn’t keep it.`,
    'info',
  );

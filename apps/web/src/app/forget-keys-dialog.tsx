import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useStore } from '../lib/external-store.ts';
import { forgetKeys, keepKeys, keysInQuestion } from '../lib/sign-out.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';

/** Asked after signing out, on devices that hold folder keys (CONTAINER §3). */
export function ForgetKeysDialog() {
  const { t } = useLingui();
  const count = useStore(keysInQuestion);
  return (
    <ConfirmDialog
      open={count > 0}
      onOpenChange={(open) => !open && keepKeys()}
      title={t`Forget keys on this device?`}
      description={
        <p>
          <Plural
            value={count}
            one="You are signed out. This browser still holds the key of # folder. Without it you need the full link to open that folder again. Forget keys on a device that other people use."
            other="You are signed out. This browser still holds the keys of # folders. Without them you need the full links to open those folders again. Forget keys on a device that other people use."
          />
        </p>
      }
      cancel={
        <Button size="lg">
          <Trans>Keep Keys</Trans>
        </Button>
      }
      action={
        <Button tone="danger" size="lg" onClick={forgetKeys}>
          <Trans>Forget Keys</Trans>
        </Button>
      }
    />
  );
}

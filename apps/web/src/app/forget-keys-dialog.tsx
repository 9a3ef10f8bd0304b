import { useStore } from '../lib/external-store.ts';
import { plural } from '../lib/format.ts';
import { forgetKeys, keepKeys, keysInQuestion } from '../lib/sign-out.ts';
import { Button } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';

/** Asked after signing out, on devices that hold folder keys (CONTAINER §3). */
export function ForgetKeysDialog() {
  const count = useStore(keysInQuestion);
  return (
    <ConfirmDialog
      open={count > 0}
      onOpenChange={(open) => !open && keepKeys()}
      title="Forget keys on this device?"
      description={
        <p>
          You are signed out. This browser still holds the {count === 1 ? 'key' : 'keys'} of {plural(count, 'folder')}.
          Without {count === 1 ? 'it' : 'them'} you need the full link to open {count === 1 ? 'it' : 'them'} again.
          Forget keys on a device that other people use.
        </p>
      }
      cancel={<Button size="lg">Keep Keys</Button>}
      action={
        <Button tone="danger" size="lg" onClick={forgetKeys}>
          Forget Keys
        </Button>
      }
    />
  );
}

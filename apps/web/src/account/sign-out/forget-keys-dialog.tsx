import { Plural, Trans, useLingui } from '@lingui/react/macro';
import { useStore } from '../../lib/base/page-hooks.ts';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { deleteKeysOnDevice, keepKeys, keysInQuestion } from './sign-out.ts';

/** Where the keys are, and what it means to be without them. */
function Held({ onDisk, inMemory }: { onDisk: number; inMemory: number }) {
  const count = onDisk + inMemory;
  if (onDisk > 0) {
    return (
      <Plural
        value={count}
        one="You are signed out. This browser still holds the key of # folder. Without it you need the full link to open that folder again. Forget keys on a device that other people use."
        other="You are signed out. This browser still holds the keys of # folders. Without them you need the full links to open those folders again. Forget keys on a device that other people use."
      />
    );
  }
  return (
    <Plural
      value={inMemory}
      one="You are signed out. This browser stores nothing for this site, so the key of # folder is in this tab’s memory and addresses. Without it you need the full link to open that folder again."
      other="You are signed out. This browser stores nothing for this site, so the keys of # folders are in this tab’s memory and addresses. Without them you need the full links to open those folders again."
    />
  );
}

/** What a page can remove, and what it can't: the browser has written it down before any page runs. */
function Reach() {
  const { host } = location;
  return (
    <dl className="mt-4 grid gap-3 rounded-control bg-sunken p-3.5 text-xs">
      <div>
        <dt className="font-semibold text-ink">
          <Trans>Forget Keys removes</Trans>
        </dt>
        <dd className="mt-0.5">
          <Trans>the keys and links that this site stored here, and the keys in the addresses of its open tabs.</Trans>
        </dd>
      </div>
      <div>
        <dt className="font-semibold text-ink">
          <Trans>Forget Keys can’t remove</Trans>
        </dt>
        <dd className="mt-0.5">
          <Trans>
            the full links in this browser’s history, its most visited pages and its list of closed tabs. Every link
            with a key that was opened here stays there, even if it was opened without signing in. To remove them, close
            the tabs of {host} and then clear its history in the browser’s settings.
          </Trans>
        </dd>
      </div>
    </dl>
  );
}

/** Asked after signing out, on devices that hold folder keys (docs/container.md §3). */
export function ForgetKeysDialog() {
  const { t } = useLingui();
  const held = useStore(keysInQuestion);
  if (held.onDisk + held.inMemory === 0) return null;
  return (
    <ConfirmDialog
      title={t`Forget keys on this device?`}
      description={
        <>
          <p>
            <Held {...held} />
          </p>
          <Reach />
        </>
      }
      cancel={t`Keep Keys`}
      yes={t`Forget Keys`}
      onClose={keepKeys}
      onConfirm={() => void deleteKeysOnDevice()}
    />
  );
}

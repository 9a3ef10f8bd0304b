import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { deleteOperatorKey, keepOperatorKey } from '../../../engine/reports/operator-key-store.ts';
import { newOperatorKeyPair } from '../../../engine/reports/report-sealing.ts';
import { notify } from '../../../lib/base/toast.ts';
import { Button } from '../../../ui/base/button.tsx';
import { TakeBackDialog } from '../acts/take-back-dialog.tsx';
import { useAct } from '../acts/use-act.ts';
import { addOperatorKey, allOperatorKeys, removeOperatorKey } from '../operator-api.ts';
import { PagedList } from '../paged-list.tsx';
import { useOwnKeys } from '../use-own-keys.ts';
import { usePages } from '../use-pages.ts';
import { EntryRow } from './entry-row.tsx';

/** Creates a key pair, registers the public key, and keeps the private key here. */
async function makeKey(): Promise<void> {
  const { privateKey, publicKey } = await newOperatorKeyPair();
  const { id } = await addOperatorKey(publicKey);
  try {
    await keepOperatorKey({ id, privateKey });
  } catch (error) {
    // Reporters must not seal to a key that is not stored anywhere.
    await removeOperatorKey(id);
    throw error;
  }
}

async function deleteKey(id: string, isHere: boolean): Promise<void> {
  await removeOperatorKey(id);
  if (isHere) await deleteOperatorKey(id);
}

interface OwnKeyProps {
  hasKey: boolean;
  onMade: () => void;
}

function OwnKey({ hasKey, onMade }: OwnKeyProps) {
  const { t } = useLingui();
  const { busy, failure, run } = useAct();
  const make = async () => {
    if (!(await run(makeKey))) return;
    notify(t`Key made`);
    onMade();
  };
  return (
    <section aria-labelledby="own-key" className="card p-5">
      <h2 id="own-key" className="text-base font-semibold">
        {hasKey ? <Trans>This browser has a key</Trans> : <Trans>This browser has no key</Trans>}
      </h2>
      <p className="mt-1 max-w-xl text-sm text-muted">
        <Trans>
          With a key, people who report an encrypted folder can include what opens it. What they include can be read in
          this browser only: the private half never leaves it, and is gone when you clear this site’s data.
        </Trans>
      </p>
      {failure && (
        <p role="alert" className="mt-3 text-sm text-danger">
          {failure}
        </p>
      )}
      {!hasKey && (
        <Button tone="primary" className="mt-4" busy={busy} aria-disabled={busy} onClick={() => void make()}>
          <Trans>Make a key</Trans>
        </Button>
      )}
    </section>
  );
}

/** The public keys that reporters seal to. */
export function KeysSection() {
  const { t } = useLingui();
  const pages = usePages(allOperatorKeys);
  const [ownKeys, reloadOwn] = useOwnKeys();
  const [removing, setRemoving] = useState<string | null>(null);
  const isHere = (id: string) => ownKeys?.some((key) => key.id === id) ?? false;
  const reload = () => {
    reloadOwn();
    pages.reload();
  };
  const isKnown = ownKeys !== null && (pages.items.length > 0 || (!pages.isLoading && pages.error === null));
  return (
    <div className="grid grid-cols-1 gap-4">
      {isKnown && <OwnKey hasKey={pages.items.some(({ id }) => isHere(id))} onMade={reload} />}
      <PagedList
        pages={pages}
        emptyTitle={t`No operator has a key`}
        emptyText={<Trans>As long as that is so, people who report a folder can’t include its key.</Trans>}
      >
        {(keys) => (
          <ul className="card divide-y divide-line">
            {keys.map(({ id }) => (
              <EntryRow
                key={id}
                subject={id}
                detail={
                  isHere(id) ? (
                    <Trans>Of this browser</Trans>
                  ) : (
                    <Trans>Of another browser of yours, or of another operator</Trans>
                  )
                }
                action={<Trans>Remove</Trans>}
                onAct={() => setRemoving(id)}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {removing !== null && (
        <TakeBackDialog
          title={t`Remove this key?`}
          description={
            <Trans>
              Reports are no longer sealed to it, and what was sealed to it can’t be read any more. Keys of other
              operators can only be removed by them.
            </Trans>
          }
          yes={<Trans>Yes, Remove</Trans>}
          onClose={() => setRemoving(null)}
          onConfirm={() => deleteKey(removing, isHere(removing))}
          onDone={() => {
            setRemoving(null);
            notify(t`Key removed`);
            reload();
          }}
        />
      )}
    </div>
  );
}

import { Trans, useLingui } from '@lingui/react/macro';
import { deleteOperatorKey, keepOperatorKey } from '../../../engine/reports/operator-key-store.ts';
import { newOperatorKeyPair } from '../../../engine/reports/report-sealing.ts';
import { notify } from '../../../lib/base/toast.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Card } from '../../../ui/sections/card.tsx';
import { Failure } from '../../../ui/sections/failure.tsx';
import { useAct } from '../../../ui/sections/use-act.ts';
import { addOperatorKey, allOperatorKeys, removeOperatorKey } from '../operator-api.ts';
import { useOwnKeys } from '../use-own-keys.ts';
import { usePages } from '../use-pages.ts';
import { UndoList } from './undo-list.tsx';

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
    notify(() => t`Key made`);
    onMade();
  };
  return (
    <Card
      title={hasKey ? <Trans>This browser has a key</Trans> : <Trans>This browser has no key</Trans>}
      className="p-5"
    >
      <p className="mt-1 max-w-xl text-sm text-muted">
        <Trans>
          With a key of yours, people who report an encrypted folder can include the folder’s key. Only this browser can
          read it: the private half of your key never leaves this browser, and is gone when you clear this site’s data.
        </Trans>
      </p>
      <Failure text={failure} className="mt-3" />
      {!hasKey && (
        <Button tone="primary" className="mt-4" busy={busy} aria-disabled={busy} onClick={() => void make()}>
          <Trans>Make a key</Trans>
        </Button>
      )}
    </Card>
  );
}

const KeyPlace = ({ isHere }: { isHere: boolean }) =>
  isHere ? (
    <Trans>This browser’s key</Trans>
  ) : (
    <Trans>The key of another browser of yours, or of another operator</Trans>
  );

/** The public keys that reporters seal to. */
export function KeysSection() {
  const { t } = useLingui();
  const pages = usePages(allOperatorKeys);
  const [ownKeys, reloadOwn] = useOwnKeys();
  const isHere = (id: string) => ownKeys?.some((key) => key.id === id) ?? false;
  const reload = () => {
    reloadOwn();
    pages.reload();
  };
  const question = {
    title: t`Remove this key?`,
    text: () => (
      <Trans>
        Reports are no longer sealed to it, and what was sealed to it can’t be read any more. Keys of other operators
        can only be removed by them.
      </Trans>
    ),
    yes: <Trans>Yes, Remove</Trans>,
  };
  const isKnown = ownKeys !== null && (pages.items.length > 0 || (!pages.isLoading && pages.error === null));
  return (
    <div className="grid grid-cols-1 gap-4">
      {isKnown && <OwnKey hasKey={pages.items.some(({ id }) => isHere(id))} onMade={reload} />}
      <UndoList
        pages={pages}
        emptyTitle={t`No operator has a key`}
        emptyText={<Trans>Without an operator’s key, people who report a folder can’t include the folder’s key.</Trans>}
        entryOf={({ id }) => ({ subject: id, detail: <KeyPlace isHere={isHere(id)} /> })}
        action={<Trans>Remove</Trans>}
        question={question}
        undo={(id) => deleteKey(id, isHere(id))}
        undone={() => t`Key removed`}
        onUndone={reload}
      />
    </div>
  );
}

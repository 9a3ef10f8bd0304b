import { Trans, useLingui } from '@lingui/react/macro';
import type { SessionList } from '@satchel/contract/api';
import { type AppError, toAppError } from '@satchel/contract/errors';
import { type MouseEvent, type ReactNode, useState } from 'react';
import { endOtherSessions, endSessionAt, useSessions } from '../../account/own-data/own-sessions.ts';
import { leave } from '../../account/sign-out/sign-out.ts';
import { notify } from '../../lib/base/toast.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { localDateTime, timeAgo } from '../../lib/figures/format.ts';
import { errorText } from '../../lib/texts/error-text.ts';
import { Button, Dots } from '../../ui/base/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { Badge } from '../../ui/states/badge.tsx';

const HEADING_ID = 'sessions';

type OneSession = SessionList[number];

/** Ends sessions; keeps which request is running and the last error. */
function useEnding(userId: string) {
  const { t } = useLingui();
  const [ending, setEnding] = useState<string | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null);
  const end = async (what: string, act: () => Promise<unknown>) => {
    if (ending !== null) return false;
    setEnding(what);
    setFailure(null);
    try {
      await act();
      notify(t`Signed out there`);
      return true;
    } catch (error) {
      setFailure(toAppError(error));
      return false;
    } finally {
      setEnding(null);
    }
  };
  return {
    ending,
    failure,
    endOne: async (id: string) => {
      // The focused button was removed with its session.
      if (await end(id, () => endSessionAt(userId, id))) document.getElementById(HEADING_ID)?.focus();
    },
    endOthers: () => end('others', () => endOtherSessions(userId)),
  };
}

interface SessionRowProps {
  session: OneSession;
  busy: boolean;
  onEnd: () => void;
}

function SessionRow({ session, busy, onEnd }: SessionRowProps) {
  const nowMs = useNow();
  const since = localDateTime(session.created_at);
  const seen = timeAgo(session.last_seen_at, nowMs);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 last:pb-0">
      <div className="min-w-0">
        <p id={`session-${session.id}`} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-medium">
          {session.label === null ? <Trans>Unknown browser</Trans> : <span translate="no">{session.label}</span>}
          {session.is_this_one && (
            <Badge tone="success">
              <Trans>This one</Trans>
            </Badge>
          )}
        </p>
        <p className="mt-0.5 text-xs text-muted tabular">
          <Trans>
            Signed in {since}, last seen {seen}
          </Trans>
        </p>
      </div>
      <Button size="sm" aria-describedby={`session-${session.id}`} busy={busy} aria-disabled={busy} onClick={onEnd}>
        {session.is_this_one ? <Trans>Sign Out</Trans> : <Trans>Sign out there</Trans>}
      </Button>
    </li>
  );
}

interface OthersQuestionProps {
  busy: boolean;
  failure: ReactNode;
  onClose: () => void;
  onConfirm: () => void;
}

function OthersQuestion({ busy, failure, onClose, onConfirm }: OthersQuestionProps) {
  const { t } = useLingui();
  const confirm = (event: MouseEvent) => {
    // The dialog stays open until the server answers.
    event.preventDefault();
    onConfirm();
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t`Sign out everywhere else?`}
      description={
        <p>
          <Trans>
            You stay signed in here. Everywhere else uploads stop at once, and folder keys that are kept there stay
            there.
          </Trans>
        </p>
      }
      cancel={
        <Button size="lg">
          <Trans>Cancel</Trans>
        </Button>
      }
      action={
        <Button size="lg" tone="danger" busy={busy} aria-disabled={busy} onClick={confirm}>
          <Trans>Yes, Sign Out</Trans>
        </Button>
      }
    >
      {failure}
    </ConfirmDialog>
  );
}

function Sessions({ userId, sessions }: { userId: string; sessions: SessionList }) {
  const [asking, setAsking] = useState(false);
  const { ending, failure, endOne, endOthers } = useEnding(userId);
  const problem = failure && (
    <p role="alert" className="mt-3 text-sm text-danger">
      {errorText(failure)}
    </p>
  );
  const askOthers = async () => {
    if (await endOthers()) setAsking(false);
  };
  return (
    <>
      <ul className="mt-1 divide-y divide-line">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={ending === session.id}
            onEnd={() => (session.is_this_one ? void leave() : void endOne(session.id))}
          />
        ))}
      </ul>
      {!asking && problem}
      {sessions.length > 1 && (
        <Button className="mt-4" onClick={() => setAsking(true)}>
          <Trans>Sign out everywhere else</Trans>
        </Button>
      )}
      {asking && (
        <OthersQuestion
          busy={ending === 'others'}
          failure={problem}
          onClose={() => setAsking(false)}
          onConfirm={() => void askOthers()}
        />
      )}
    </>
  );
}

/** The person's sessions, and remote sign-out. */
export function SessionsCard({ userId }: { userId: string }) {
  const { t } = useLingui();
  const { data, error, refetch } = useSessions(userId);
  return (
    <section aria-labelledby={HEADING_ID} className="card p-5 sm:p-6">
      <h2 id={HEADING_ID} tabIndex={-1} className="text-base font-semibold focus-visible:outline-none">
        <Trans>Where you’re signed in</Trans>
      </h2>
      {data && <Sessions userId={userId} sessions={data} />}
      {!data && !error && (
        <div className="mt-3 text-subtle">
          <Dots label={t`Loading`} />
        </div>
      )}
      {!data && error && (
        <div className="mt-2 flex flex-wrap items-center justify-between gap-3">
          <p role="alert" className="text-sm text-danger">
            {errorText(toAppError(error))}
          </p>
          <Button size="sm" onClick={() => void refetch()}>
            <Trans>Try Again</Trans>
          </Button>
        </div>
      )}
    </section>
  );
}

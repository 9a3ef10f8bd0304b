import { Trans, useLingui } from '@lingui/react/macro';
import type { SessionList } from '@satchel/contract/api';
import { PATHS } from '@satchel/contract/paths';
import { useState } from 'react';
import { queryClient, useServerQuery } from '../../account/session/query-client.ts';
import { leave } from '../../account/sign-out/sign-out.ts';
import { getJson, sendJson } from '../../lib/api/api.ts';
import { notify } from '../../lib/base/toast.ts';
import { useNow } from '../../lib/browser/hooks.ts';
import { localDateTime, timeAgo } from '../../lib/figures/format.ts';
import { Button } from '../../ui/base/button.tsx';
import { ConfirmDialog } from '../../ui/dialogs/dialog.tsx';
import { Card } from '../../ui/sections/card.tsx';
import { Failure } from '../../ui/sections/failure.tsx';
import { LoadedPart } from '../../ui/sections/loaded-part.tsx';
import { useAct } from '../../ui/sections/use-act.ts';
import { Badge } from '../../ui/states/badge.tsx';

const sessionsKey = (userId: string) => ['sessions', userId] as const;

/** Where the signed-in person is signed in; asked for again whenever it comes on screen. */
const useSessions = (userId: string) =>
  useServerQuery({
    queryKey: sessionsKey(userId),
    queryFn: ({ signal }) => getJson<SessionList>(PATHS.sessions, { signal }),
    staleTime: 0,
  });

const refresh = (userId: string) => queryClient.invalidateQueries({ queryKey: sessionsKey(userId) });

/**
 * Ends one session that is not this page's.
 * @throws AppError what the server said
 */
async function endSessionAt(userId: string, id: string): Promise<void> {
  await sendJson('DELETE', `${PATHS.sessions}/${id}`, undefined);
  await refresh(userId);
}

/**
 * Ends all sessions but this page's.
 * @throws AppError what the server said
 */
async function endOtherSessions(userId: string): Promise<void> {
  await sendJson('POST', `${PATHS.logout}?scope=others`, undefined);
  await refresh(userId);
}

const HEADING_ID = 'sessions';

type OneSession = SessionList[number];

interface SessionRowProps {
  session: OneSession;
  busy: boolean;
  onEnd: () => void;
}

/** A browser by its own name, a command line by its computer's. */
function SessionName({ kind, label }: Pick<OneSession, 'kind' | 'label'>) {
  const name = <span translate="no">{label}</span>;
  if (kind === 'device') return <Trans>Command line on {name}</Trans>;
  return label === null ? <Trans>Unknown browser</Trans> : name;
}

function SessionRow({ session, busy, onEnd }: SessionRowProps) {
  const nowMs = useNow();
  const since = localDateTime(session.created_at);
  const seen = timeAgo(session.last_seen_at, nowMs);
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-3 last:pb-0">
      <div className="min-w-0">
        <p id={`session-${session.id}`} className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-medium">
          <span>
            <SessionName {...session} />
          </span>
          {session.is_this_one && (
            <Badge tone="success">
              <Trans>This device</Trans>
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
        {session.is_this_one ? <Trans>Sign Out</Trans> : <Trans>Sign out</Trans>}
      </Button>
    </li>
  );
}

function OthersQuestion({ userId, onClose }: { userId: string; onClose: () => void }) {
  const { t } = useLingui();
  const endOthers = async () => {
    await endOtherSessions(userId);
    notify(() => t`Signed out on your other devices`);
  };
  return (
    <ConfirmDialog
      title={t`Sign out everywhere else?`}
      description={
        <p>
          <Trans>
            You stay signed in here. On your other devices uploads stop at once, and the folder keys there are kept.
          </Trans>
        </p>
      }
      yes={t`Yes, Sign Out`}
      onClose={onClose}
      onConfirm={endOthers}
    />
  );
}

function Sessions({ userId, sessions }: { userId: string; sessions: SessionList }) {
  const { t } = useLingui();
  const [asking, setAsking] = useState(false);
  const [ending, setEnding] = useState<string | null>(null);
  const { busy, failure, run } = useAct();
  const end = async (id: string) => {
    if (busy) return;
    setEnding(id);
    if (!(await run(() => endSessionAt(userId, id)))) return;
    notify(() => t`Signed out on that device`);
    // The focused button was removed with its session.
    document.getElementById(HEADING_ID)?.focus();
  };
  return (
    <>
      <ul className="mt-1 divide-y divide-line">
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            busy={busy && ending === session.id}
            onEnd={() => void (session.is_this_one ? leave() : end(session.id))}
          />
        ))}
      </ul>
      <Failure text={failure} className="mt-3" />
      {sessions.length > 1 && (
        <Button className="mt-4" onClick={() => setAsking(true)}>
          <Trans>Sign out everywhere else</Trans>
        </Button>
      )}
      {asking && <OthersQuestion userId={userId} onClose={() => setAsking(false)} />}
    </>
  );
}

/** The person's sessions, and remote sign-out. */
export const SessionsCard = ({ userId }: { userId: string }) => (
  <Card title={<Trans>Where you’re signed in</Trans>} headingId={HEADING_ID}>
    <LoadedPart query={useSessions(userId)}>
      {(sessions) => <Sessions userId={userId} sessions={sessions} />}
    </LoadedPart>
  </Card>
);

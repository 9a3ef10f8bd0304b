import { Trans, useLingui } from '@lingui/react/macro';
import type { Report } from '@satchel/contract/abuse';
import { useMemo, useState } from 'react';
import { notify } from '../../../lib/base/toast.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Failure } from '../../../ui/sections/failure.tsx';
import { useAct } from '../../../ui/sections/use-act.ts';
import { BanDialog, TakeDownDialog } from '../acts/act-dialogs.tsx';
import { dismissReport, type ReportState, reportPages } from '../operator-api.ts';
import { operatorList, PagedList } from '../paged-list.tsx';
import { useOwnKeys, useSealed } from '../use-own-keys.ts';
import { usePages } from '../use-pages.ts';
import { ReportCard } from './report-card.tsx';

interface Asking {
  readonly act: 'take_down' | 'ban';
  readonly report: Report;
}

function Question({ asking, onClose, onDone }: { asking: Asking; onClose: () => void; onDone: () => void }) {
  const { folder, folder_slug: slug } = asking.report;
  if (folder === null) return null;
  if (asking.act === 'take_down') {
    return <TakeDownDialog slug={slug} name={folder.name || slug} onClose={onClose} onDone={onDone} />;
  }
  const { owner_discord_id: discordId, owner_username: username } = folder;
  return <BanDialog discordId={discordId} name={username ?? discordId} onClose={onClose} onDone={onDone} />;
}

function StateChoice({ state, onChange }: { state: ReportState; onChange: (state: ReportState) => void }) {
  const { t } = useLingui();
  const button = (value: ReportState, label: string) => (
    <Button tone={state === value ? 'quiet' : 'ghost'} aria-pressed={state === value} onClick={() => onChange(value)}>
      {label}
    </Button>
  );
  return (
    <fieldset className="mb-4 flex gap-1.5" aria-label={t`Which reports`}>
      {button('open', t({ message: 'Open', context: 'reports' }))}
      {button('closed', t({ message: 'Closed', context: 'reports' }))}
    </fieldset>
  );
}

/** @param state filter of the reports; another filter mounts another component */
function Reports({ state }: { state: ReportState }) {
  const { t } = useLingui();
  const pages = usePages(useMemo(() => reportPages(state), [state]));
  const [asking, setAsking] = useState<Asking | null>(null);
  const { busy, failure, run } = useAct();
  const [ownKeys] = useOwnKeys();
  const sealedOf = useSealed(ownKeys);
  const done = (text: () => string) => {
    notify(text);
    pages.reload();
  };
  const dismiss = async (id: string) => {
    if (!(await run(() => dismissReport(id)))) return;
    done(() => t`Report dismissed`);
    operatorList()?.focus();
  };
  const isOpen = state === 'open';
  return (
    <>
      <Failure text={failure} className="mb-4" />
      <PagedList
        pages={pages}
        emptyTitle={isOpen ? t`No open reports` : t`No closed reports`}
        emptyText={
          isOpen ? (
            <Trans>Reports about folders appear here.</Trans>
          ) : (
            <Trans>Reports that you have dealt with appear here.</Trans>
          )
        }
      >
        {(reports) => (
          <ul className="grid grid-cols-1 gap-4">
            {reports.map((report) => (
              <ReportCard
                key={report.id}
                report={report}
                sealed={sealedOf(report)}
                busy={busy}
                onDismiss={() => void dismiss(report.id)}
                onTakeDown={() => setAsking({ act: 'take_down', report })}
                onBan={() => setAsking({ act: 'ban', report })}
              />
            ))}
          </ul>
        )}
      </PagedList>
      {asking && (
        <Question
          asking={asking}
          onClose={() => setAsking(null)}
          onDone={() => done(() => (asking.act === 'ban' ? t`Account banned` : t`Folder taken down`))}
        />
      )}
    </>
  );
}

/** The reports that people sent. */
export function ReportsSection() {
  const [state, setState] = useState<ReportState>('open');
  return (
    <>
      <StateChoice state={state} onChange={setState} />
      <Reports key={state} state={state} />
    </>
  );
}

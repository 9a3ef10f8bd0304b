import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { ActsSection } from '../features/operator/sections/audit-log-section.tsx';
import { BansSection } from '../features/operator/sections/bans-section.tsx';
import { DeniedSection } from '../features/operator/sections/denied-section.tsx';
import { KeysSection } from '../features/operator/sections/keys-section.tsx';
import { ReportsSection } from '../features/operator/sections/reports-section.tsx';
import { SiteSection } from '../features/operator/sections/site-section.tsx';
import { TiersSection } from '../features/operator/sections/tiers-section.tsx';
import { useTitle } from '../lib/browser/hooks.ts';
import { Tabs } from '../ui/tabs.tsx';

/** /operator, for the site's operators. pages/operator-gate.tsx has checked with the server. */
export function OperatorPage({ program }: { program: string | null }) {
  const { t } = useLingui();
  useTitle(t`Operator`);
  const navigate = useNavigate();
  const wanted = useLocation({ select: ({ search }): string | undefined => (search as { tab?: string }).tab });
  const tabs = [
    { id: 'reports', label: t`Reports`, content: <ReportsSection /> },
    { id: 'site', label: t`Site`, content: <SiteSection /> },
    { id: 'bans', label: t`Bans`, content: <BansSection /> },
    { id: 'files', label: t`Files`, content: <DeniedSection /> },
    { id: 'tiers', label: t`Tiers`, content: <TiersSection /> },
    { id: 'key', label: t`Your key`, content: <KeysSection /> },
    { id: 'log', label: t`Log`, content: <ActsSection /> },
  ];
  return (
    <div className="wrap pt-8 pb-20">
      <h1 className="display text-3xl">
        <Trans>Operator</Trans>
      </h1>
      <p className="mt-1 text-sm text-muted">
        <Trans>What you do here is logged with your Discord ID, for all operators of this site to see.</Trans>
      </p>
      <Tabs
        className="mt-6"
        label={t`Operator sections`}
        // The address names the visible tab, except the first.
        value={tabs.find(({ id }) => id === wanted)?.id ?? 'reports'}
        onValueChange={(id) =>
          void navigate({ to: '.', search: (id === 'reports' ? {} : { tab: id }) as never, replace: true })
        }
        tabs={tabs}
      />
      {program !== null && (
        <p translate="no" className="mt-8 text-xs text-muted">
          Satchel {program}
        </p>
      )}
    </div>
  );
}

import { useLingui } from '@lingui/react/macro';
import { Tabs } from '../../ui/tabs.tsx';
import { ActsSection } from './sections/audit-log-section.tsx';
import { BansSection } from './sections/bans-section.tsx';
import { DeniedSection } from './sections/denied-section.tsx';
import { KeysSection } from './sections/keys-section.tsx';
import { ReportsSection } from './sections/reports-section.tsx';
import { TiersSection } from './sections/tiers-section.tsx';

/** Sections of the operator's page; the address names the visible one. */
export function OperatorTabs({ tab, onTab }: { tab: string; onTab: (tab: string) => void }) {
  const { t } = useLingui();
  return (
    <Tabs
      className="mt-6"
      label={t`Operator sections`}
      value={tab}
      onValueChange={onTab}
      tabs={[
        { id: 'reports', label: t`Reports`, content: <ReportsSection /> },
        { id: 'bans', label: t`Bans`, content: <BansSection /> },
        { id: 'files', label: t`Files`, content: <DeniedSection /> },
        { id: 'tiers', label: t`Tiers`, content: <TiersSection /> },
        { id: 'key', label: t`Your key`, content: <KeysSection /> },
        { id: 'log', label: t`Log`, content: <ActsSection /> },
      ]}
    />
  );
}

export const OPERATOR_TABS = ['reports', 'bans', 'files', 'tiers', 'key', 'log'] as const;

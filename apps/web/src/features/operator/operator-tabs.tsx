import { useLingui } from '@lingui/react/macro';
import { Tabs } from '../../ui/tabs.tsx';
import { ActsSection } from './acts-section.tsx';
import { BansSection } from './bans-section.tsx';
import { DeniedSection } from './denied-section.tsx';
import { KeysSection } from './keys-section.tsx';
import { ReportsSection } from './reports-section.tsx';
import { TiersSection } from './tiers-section.tsx';

/** The parts of the operator's page; which one is shown is in the address. */
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

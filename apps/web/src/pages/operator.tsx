import { Trans, useLingui } from '@lingui/react/macro';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { OPERATOR_TABS, OperatorTabs } from '../features/operator/operator-tabs.tsx';
import { useTitle } from '../lib/browser/hooks.ts';

/** /operator, for the site's operators. pages/operator-gate.tsx has checked with the server. */
export function OperatorPage() {
  const { t } = useLingui();
  useTitle(t`Operator`);
  const navigate = useNavigate();
  const wanted = useLocation({ select: ({ search }): string | undefined => (search as { tab?: string }).tab });
  const tab = OPERATOR_TABS.find((id) => id === wanted) ?? OPERATOR_TABS[0];
  return (
    <div className="wrap pt-8 pb-20">
      <h1 className="display text-3xl">
        <Trans>Operator</Trans>
      </h1>
      <p className="mt-1 text-sm text-muted">
        <Trans>What you do here is logged with your Discord ID, for all operators of this site to see.</Trans>
      </p>
      <OperatorTabs
        tab={tab}
        onTab={(id) =>
          void navigate({ to: '.', search: (id === OPERATOR_TABS[0] ? {} : { tab: id }) as never, replace: true })
        }
      />
    </div>
  );
}

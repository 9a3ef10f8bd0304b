import { Trans } from '@lingui/react/macro';
import { settings } from '../../lib/base/settings.ts';
import { LinkButton } from '../../ui/base/button.tsx';
import { Card } from '../../ui/sections/card.tsx';

/** Signing in a command line: what to type there, and where its code goes. */
export const CommandLineCard = () => (
  <Card title={<Trans>Command line</Trans>}>
    <p className="mt-2 text-sm text-muted">
      <Trans>
        The program satchel uploads and downloads from a terminal; each release of Satchel has it. Sign it in there, and
        confirm its code here:
      </Trans>
    </p>
    <div className="mt-3 flex flex-wrap items-center justify-between gap-4">
      <code className="min-w-0 font-mono text-sm wrap-anywhere" translate="no">
        satchel login {new URL(settings.public_url).host}
      </code>
      <LinkButton to="/$slug" params={{ slug: 'device' }}>
        <Trans>Enter its code</Trans>
      </LinkButton>
    </div>
  </Card>
);

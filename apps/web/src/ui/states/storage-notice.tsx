import { Trans, useLingui } from '@lingui/react/macro';
import { DatabaseZap } from 'lucide-react';
import type { Keeping } from '../../lib/base/device.ts';

/** Says what a browser does not keep for the site, and what that means here. */
export function StorageNotice({ keeping }: { keeping: Exclude<Keeping, 'all'> }) {
  const { t } = useLingui();
  return (
    <aside aria-label={t`What this browser keeps`} className="bg-warning-soft text-warning">
      <p className="wrap flex items-start gap-2 py-2 text-xs">
        <DatabaseZap size={15} aria-hidden className="mt-px shrink-0" />
        <span>
          {keeping === 'nothing' ? (
            <Trans>
              This browser keeps nothing for this site: its cookies and site data are blocked. Links still open here,
              and their files can be saved. Signing in, making folders and uploading need cookies. Settings such as the
              language last until you leave the page.
            </Trans>
          ) : (
            <Trans>
              This browser keeps no data for this site. The key of a folder that you make stays in the address of its
              page only: copy the link before you leave. An upload that is interrupted begins again, and settings such
              as the language last until you leave the page.
            </Trans>
          )}
        </span>
      </p>
    </aside>
  );
}

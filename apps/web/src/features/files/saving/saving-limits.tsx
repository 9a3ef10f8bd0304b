import { Trans, useLingui } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { Copy, Download } from 'lucide-react';
import { isInsideApp, type Saving } from '../../../engine/files/saving/saving-way.ts';
import { errorText } from '../../../lib/texts/error-text.ts';
import { Button } from '../../../ui/base/button.tsx';
import { Banner } from '../../../ui/states/banner.tsx';

interface SavingLimitsProps {
  saving: Saving;
  onCopy: () => void;
  copied: boolean;
}

/** Says before a click what can't be saved here: too large a file for this window, or all of them inside an app. */
export function SavingLimits({ saving, onCopy, copied }: SavingLimitsProps) {
  const { t } = useLingui();
  const { fileLimitBytes: maxBytes } = saving;
  const icon = <Download size={20} aria-hidden className="text-warning" />;
  if (isInsideApp()) {
    const action = (
      <Button onClick={onCopy}>
        {copied ? (
          <Trans>✓ Copied!</Trans>
        ) : (
          <>
            <Copy size={16} aria-hidden />
            <Trans>Copy link</Trans>
          </>
        )}
      </Button>
    );
    return (
      <Banner tone="warning" label={t`Download`} icon={icon} action={action}>
        <Trans>
          This page is open inside an app, which may not let it save files. To download, open the link in your own
          browser.
        </Trans>
      </Banner>
    );
  }
  if (maxBytes === null) return null;
  return (
    <Banner tone="warning" label={t`Download`} icon={icon}>
      {errorText(new AppError('download.too_large_here', { maxBytes }))}.
    </Banner>
  );
}

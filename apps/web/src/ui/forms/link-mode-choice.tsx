import { Trans, useLingui } from '@lingui/react/macro';
import type { NewLinkMode } from '@satchel/contract/entities';
import { DISCORD_KEY_HOURS } from '@satchel/contract/limits';
import type { ReactNode } from 'react';
import { hoursText } from '../../lib/figures/format.ts';
import { RadioGroup, type RadioOption } from './radio-group.tsx';

const Aside = ({ children }: { children?: ReactNode }) => <span className="text-muted">{children}</span>;

function Label({ mode }: { mode: NewLinkMode }) {
  const hours = hoursText(DISCORD_KEY_HOURS);
  if (mode === 'private') {
    return (
      <Trans>
        Anyone with my full link <Aside>(we can’t read your files)</Aside>
      </Trans>
    );
  }
  if (mode === 'discord') {
    return (
      <Trans>
        People in a Discord channel or chat <Aside>(short link; our server holds the key for at most {hours})</Aside>
      </Trans>
    );
  }
  return (
    <Trans>
      Everyone <Aside>(not encrypted)</Aside>
    </Trans>
  );
}

/** What each answer costs, true by docs/security.md; link-mode-choice.test.tsx holds it against what the server sees. */
function Cost({ mode, isRestricted }: { mode: NewLinkMode; isRestricted: boolean }) {
  if (mode === 'private') {
    return <Trans>If you lose the link and this device, the files can’t be opened any more, not even by us.</Trans>;
  }
  if (isRestricted) return <Trans>Our server can read these files, and so can everyone who is let in.</Trans>;
  if (mode === 'discord') {
    return (
      <Trans>
        While it holds the key, our server can read these files, and so can everyone who has the short link.
      </Trans>
    );
  }
  return <Trans>Our server can read these files and their names, and so can everyone who has the link.</Trans>;
}

const MODES = ['private', 'discord', 'plain'] as const satisfies readonly NewLinkMode[];

interface LinkModeChoiceProps {
  value: NewLinkMode;
  onChange: (mode: NewLinkMode) => void;
  /** The folder lets in only people who come through Discord. */
  isRestricted?: boolean;
  /** Why a mode can't be chosen here, instead of what it costs. */
  closed?: Readonly<Partial<Record<NewLinkMode, ReactNode>>>;
  /** No mode can be chosen now. */
  disabled?: boolean;
  /** Below the private link, while it is chosen: its passphrase. */
  passphrase?: ReactNode;
}

/** Who opens a folder: the same question where a folder is made, and in Share. */
export function LinkModeChoice({ value, onChange, closed = {}, disabled = false, ...props }: LinkModeChoiceProps) {
  const { t } = useLingui();
  const { passphrase, isRestricted = false } = props;
  const options = MODES.map(
    (mode): RadioOption<NewLinkMode> => ({
      value: mode,
      label: <Label mode={mode} />,
      hint: closed[mode] ?? <Cost mode={mode} isRestricted={isRestricted} />,
      disabled: (disabled || mode in closed) && mode !== value,
      ...(mode === 'private' && { extra: passphrase }),
    }),
  );
  return <RadioGroup label={t`Who can open it?`} options={options} value={value} onChange={onChange} />;
}

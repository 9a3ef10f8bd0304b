import { msg, t } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { useState } from 'react';
import { settings } from '../../lib/base/settings.ts';
import { hoursText } from '../../lib/texts/amounts.ts';
import { Mark } from '../../ui/base/mark.tsx';
import { AppTag } from './app-tag.tsx';

/** Remaining time of the example folder, as a fraction of the lifetime that this site sets. */
function leftText(share: number): string {
  const hours = settings.folder_lifetime_hours * share;
  return hoursText(hours < 1 ? hours : Math.floor(hours));
}

const commands = [
  {
    name: '/upload',
    text: msg`Opens a new folder and gives you the link to fill it.`,
    reply() {
      const lifetime = hoursText(settings.folder_lifetime_hours);
      return t`Your folder is open for ${lifetime}. Only you can add files to it.`;
    },
  },
  {
    name: '/list',
    text: msg`Shows your folders and how long each one has left.`,
    reply() {
      const [raid, drafts, shaders] = [leftText(0.65), leftText(0.96), leftText(0.1)];
      return t`Saturday raid, ${raid} left. Artbook drafts, ${drafts} left. Shader pack beta, ${shaders} left.`;
    },
  },
  {
    name: '/share',
    text: msg`Posts a card for a folder in the channel you are in.`,
    reply() {
      const left = leftText(0.65);
      return t`Mika shared Saturday raid: 16 files, gone in ${left}.`;
    },
  },
  {
    name: '/delete',
    text: msg`Removes a folder and everything in it, right away.`,
    reply: () => t`Saturday raid is gone. Its link opens nothing any more.`,
  },
] as const;
type Command = (typeof commands)[number];

function Reply({ command }: { command: Command }) {
  return (
    <div className="card flex min-h-64 flex-col p-5 sm:p-6">
      <div className="flex gap-3" aria-live="polite">
        <span className="grid size-10 shrink-0 place-items-center rounded-full bg-raised">
          <Mark sizePx={24} />
        </span>
        <div key={command.name} className="motion-safe:animate-rise">
          <p className="text-sm">
            <b className="font-semibold">Satchel</b> <AppTag />
          </p>
          <p className="mt-1.5 max-w-sm text-base text-ink">{command.reply()}</p>
        </div>
      </div>
      <p
        aria-hidden="true"
        className="mt-auto flex h-11 items-center rounded-control bg-sunken px-4 font-mono text-sm text-accent-text"
      >
        {command.name}
        <span className="ml-0.5 h-4 w-px bg-accent motion-safe:animate-dot" />
      </p>
    </div>
  );
}

export function Commands() {
  const { t } = useLingui();
  const [chosen, setChosen] = useState<Command>(commands[0]);
  return (
    <section
      aria-labelledby="commands"
      className="wrap grid gap-10 py-20 lg:grid-cols-[1fr_1.1fr] lg:items-center lg:gap-16"
    >
      <div>
        <h2 id="commands" className="display text-3xl">
          <Trans>Available Commands</Trans>
        </h2>
        <p className="mt-2 text-base text-muted">
          <Trans>Four of them. You’ll remember them all.</Trans>
        </p>
        <ul className="mt-7 grid gap-1">
          {commands.map((command) => (
            <li key={command.name}>
              <button
                type="button"
                aria-pressed={chosen === command}
                onClick={() => setChosen(command)}
                className="group grid w-full items-baseline gap-x-2 rounded-control px-4 py-3 text-left transition-colors hover:bg-surface focus-visible:rounded-control aria-pressed:bg-surface sm:grid-cols-[6.5rem_1fr]"
              >
                <span className="font-mono text-sm text-muted group-aria-pressed:text-accent-text">{command.name}</span>
                <span className="text-sm text-muted group-aria-pressed:text-ink">{t(command.text)}</span>
              </button>
            </li>
          ))}
        </ul>
        <p className="mt-4 px-4 text-sm text-muted">
          <Trans>
            Command line: <code className="font-mono text-accent-text">satchel put photos/</code> uploads from a
            terminal, and prints the link.
          </Trans>
        </p>
      </div>
      <Reply command={chosen} />
    </section>
  );
}

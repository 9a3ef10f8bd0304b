import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import { Check, CircleDashed, LockOpen, X } from 'lucide-react';

/** What the server can see (docs/container.md §2): every line must be true as written. */
const answers = {
  never: { text: msg`Never`, tone: 'text-success', Icon: X },
  choice: { text: msg`Not by default`, tone: 'text-success', Icon: CircleDashed },
  could: { text: msg`It could`, tone: 'text-warning', Icon: LockOpen },
  yes: { text: msg`Yes`, tone: 'text-muted', Icon: Check },
  none: { text: msg`No key`, tone: 'text-subtle', Icon: X },
} as const;
type Answer = keyof typeof answers;

const modes = [msg`Private link`, msg`Discord link`, msg`Not encrypted`];

/** A test compares each answer with the server's tables (packages/contract/src/server-sight.ts). */
export const ROWS = [
  {
    what: msg`What is inside your files`,
    why: msg`Encrypted files are sealed in your browser with AES-256 and HMAC-SHA256. For a Discord link the server holds the key, so it could open them.`,
    seen: ['never', 'could', 'yes'],
  },
  {
    what: msg`The folder’s key`,
    why: msg`In a private link, the key is the part after the # sign, which browsers never send. Without that part, our half of the key opens nothing.`,
    seen: ['never', 'yes', 'none'],
  },
  {
    what: msg`Names and types of files`,
    why: msg`Sealed like the files themselves. You can turn that off for a folder.`,
    seen: ['choice', 'could', 'yes'],
  },
  {
    what: msg`Sizes, counts, times, which files have previews, the folder’s name and description`,
    why: msg`We need them to store files, count your storage and end the folder.`,
    seen: ['yes', 'yes', 'yes'],
  },
  {
    what: msg`Who opens the folder, and how often`,
    why: msg`The owner sees signed-in visitors by name. Everyone else is counted under a pseudonym that ends with the day.`,
    seen: ['yes', 'yes', 'yes'],
  },
  {
    what: msg`Whom you share with in Discord`,
    why: msg`Only if you use the bot: what you ask it for, and which people and servers its cards let in.`,
    seen: ['yes', 'yes', 'yes'],
  },
  {
    what: msg`Your Discord name, ID, e-mail and pictures`,
    why: msg`Only when you sign in. Recipients don’t have to.`,
    seen: ['yes', 'yes', 'yes'],
  },
] as const;

const COLUMNS = 'grid sm:grid-cols-[1fr_repeat(3,7.25rem)] gap-x-4';

function AnswerCell({ answer, position }: { answer: Answer; position: number }) {
  const { t } = useLingui();
  const { text, tone, Icon } = answers[answer];
  return (
    <td className={tone}>
      <span aria-hidden="true" className="block text-2xs text-subtle sm:hidden">
        {t(modes[position]!)}
      </span>
      <span className="inline-flex items-center gap-1.5 font-medium max-sm:text-xs">
        <Icon size={15} aria-hidden className="shrink-0" />
        {t(text)}
      </span>
    </td>
  );
}

function SeenTable() {
  const { t } = useLingui();
  return (
    <table className="w-full text-left text-sm">
      <caption className="sr-only">
        <Trans>What the server can see of a folder</Trans>
      </caption>
      <thead className="max-sm:sr-only">
        <tr className={`${COLUMNS} pb-3 text-xs text-subtle`}>
          <th scope="col" className="font-medium">
            <Trans>Can the server see it?</Trans>
          </th>
          {modes.map((mode) => (
            <th key={mode.id} scope="col" className="font-medium">
              {t(mode)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {ROWS.map(({ what, why, seen }) => (
          <tr key={what.id} className={`${COLUMNS} grid-cols-3 gap-y-2.5 border-t border-line py-3.5`}>
            <th scope="row" className="font-medium text-ink max-sm:col-span-3 sm:pr-4">
              {t(what)}
              <span className="mt-0.5 block font-normal text-muted">{t(why)}</span>
            </th>
            {seen.map((answer, position) => (
              <AnswerCell key={modes[position]!.id} answer={answer} position={position} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export const Privacy = () => (
  <section aria-labelledby="privacy" className="border-t border-line/60 bg-sunken py-20">
    <div className="wrap grid gap-10 lg:grid-cols-[1fr_2.4fr] lg:gap-16">
      <div>
        <h2 id="privacy" className="display text-3xl">
          <Trans>Privacy, in plain words</Trans>
        </h2>
        <p className="mt-3 max-w-sm text-base text-muted">
          <Trans>
            “Zero-knowledge” is easy to say. Here is exactly what our server can and cannot see, for each kind of
            folder.
          </Trans>
        </p>
        <p className="mt-3 max-w-sm text-sm text-muted">
          <Trans>A folder is private unless its owner chooses otherwise.</Trans>
        </p>
      </div>
      <SeenTable />
    </div>
  </section>
);

import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { settings } from '../lib/base/settings.ts';
import { useTitle } from '../lib/browser/hooks.ts';

export function Part({ title, children }: { title: ReactNode; children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="display text-xl">
        {title}
      </h2>
      <div className="mt-3 grid gap-3 text-base text-muted">{children}</div>
    </section>
  );
}

export const Code = ({ children }: { children?: ReactNode }) => (
  <code className="rounded-chip bg-raised px-1.5 py-0.5 font-mono text-sm text-ink">{children}</code>
);

export const LINK = 'text-accent-text underline underline-offset-4';

const Server = () => (
  <Part title={<Trans>What our server sees</Trans>}>
    <p>
      <Trans>
        Your browser encrypts files, their names and their types before they leave it, unless the owner chose otherwise.
        The server sees their sizes, how many there are and when they came, and the folder’s name and description. With
        a Discord link it holds the key for a while and could read the files; a folder that is not encrypted it can
        read.
      </Trans>
    </p>
    <p>
      <Trans>
        <Link to="/" hash="privacy" className={LINK}>
          A table on the start page
        </Link>{' '}
        says it for each kind of folder, and each folder’s details say it for that folder.
      </Trans>
    </p>
  </Part>
);

/** What stays on the device, and what of people without an account. */
const Visitors = () => (
  <Part title={<Trans>If you open a folder</Trans>}>
    <p>
      <Trans>
        You need no account. The server counts your visit under a pseudonym that ends with the day, and doesn’t keep
        your IP address. If you are signed in, the owner sees your name, when you came last and how often you
        downloaded, but not which file.
      </Trans>
    </p>
    <p>
      <Trans>
        The part of a link after the # sign stays in your browser. A link that you opened stays in your browser’s
        history, with its key: clear the history of this site if others use the device.
      </Trans>
    </p>
  </Part>
);

const Account = () => (
  <Part title={<Trans>If you sign in</Trans>}>
    <p>
      <Trans>
        Signing in goes through Discord. The server keeps your Discord name, ID, e-mail address, pictures and badges,
        and no token of Discord. A session lasts 30 days; its cookie can’t be read by scripts, and the server keeps only
        its hash.
      </Trans>
    </p>
    <p>
      <Trans>
        A command line that you let in stays signed in for 90 days. While it waits for your answer, ten minutes at most,
        the server keeps the address of its network, to show it to you.
      </Trans>
    </p>
    <p>
      <Trans>
        Your browser remembers the keys of folders that you made or opened until those folders end, or until you have
        them forgotten when you sign out.
      </Trans>
    </p>
    <p>
      <Trans>
        On your{' '}
        <Link to="/profile" className={LINK}>
          profile
        </Link>{' '}
        you can export what the server keeps about you, and erase your account with all its folders at once. Bans,
        reports and the operators’ log of their acts stay.
      </Trans>
    </p>
  </Part>
);

const Ends = () => (
  <Part title={<Trans>How long things stay</Trans>}>
    <p>
      <Trans>
        After its time a folder can’t be read, from that second on. Its files and its key share are deleted within 15
        minutes. For 30 days the server keeps its short link, so that it doesn’t lead to another folder.
      </Trans>
    </p>
    <p>
      <Trans>
        Reports stay as long as the folder they are about, and at least 30 days; closed ones 90 days. They do not say
        who reported, unless the reporter’s own words do. Logs hold route, status, time and size, and a user only as a
        hash: no names, links or keys.
      </Trans>
    </p>
    <p>
      <Trans>
        An update that changes the database first keeps a copy of its rows, without files, for three days at most.
      </Trans>
    </p>
  </Part>
);

const Others = () => (
  <Part title={<Trans>Who else learns of it</Trans>}>
    <p>
      <Trans>
        No page loads anything from another site: there is no tracking, and there are no advertisements. Discord learns
        of you when you sign in there, and of what you ask the bot.
      </Trans>
    </p>
    <p>
      <Trans>
        There are cookies for your session, for the minutes of signing in, and for folders that a Discord card let you
        into, and no others. Theme, language and keys lie in your browser’s storage, and no request sends them along.
      </Trans>
    </p>
  </Part>
);

const Limits = () => (
  <Part title={<Trans>What we can’t promise</Trans>}>
    <p>
      <Trans>
        Encryption in a browser protects what is stored. A server that turned against you while you visit could send a
        page that gives keys away:{' '}
        <Link to="/check" className={LINK}>
          what you can check
        </Link>
        . All who have a full link can open the folder and keep what they saw; deleting it ends that only for those who
        come later.
      </Trans>
    </p>
  </Part>
);

/** What docs/security.md promises, for people who don’t read the repository. */
export function PrivacyPage() {
  const { t } = useLingui();
  useTitle(t`Privacy`);
  const { contact } = settings.links;
  return (
    <div className="wrap pt-12 pb-16">
      <h1 className="display text-4xl">
        <Trans>Privacy</Trans>
      </h1>
      <p className="mt-4 max-w-prose text-lg text-muted">
        <Trans>What this site learns of you and your files, how long it keeps that, and what it can’t read.</Trans>
      </p>
      <div className="mt-12 grid max-w-3xl gap-10">
        <Server />
        <Visitors />
        <Account />
        <Ends />
        <Others />
        <Limits />
        {contact !== null && (
          <p className="text-base text-muted">
            <Trans>
              Questions go to{' '}
              <a href={contact} className={LINK}>
                the people who run this site
              </a>
              .
            </Trans>
          </p>
        )}
      </div>
    </div>
  );
}

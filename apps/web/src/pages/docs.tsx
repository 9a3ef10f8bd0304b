import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { settings } from '../lib/base/settings.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { operatorName } from '../ui/base/who-runs-this.tsx';
import { Code, LINK, Part } from './privacy.tsx';

const OUTSIDE = { target: '_blank', rel: 'noreferrer', className: LINK } as const;

function Runner() {
  const name = operatorName();
  const { contact, terms } = settings.links;
  return (
    <Part title={<Trans>Who runs this site</Trans>}>
      <p>
        <Trans>{name} runs this site: its server, its storage and its bot.</Trans>{' '}
        {contact !== null && (
          <Trans>
            Questions go to{' '}
            <a href={contact} className={LINK}>
              the people who run it
            </a>
            .
          </Trans>
        )}{' '}
        {terms !== null && (
          <a href={terms} {...OUTSIDE}>
            <Trans>Terms</Trans>
          </a>
        )}
      </p>
    </Part>
  );
}

function Source() {
  const { source, docs } = settings.links;
  return (
    <Part title={<Trans>Open source</Trans>}>
      <p>
        <Trans>
          Satchel is free software under the AGPL-3.0: anyone may read it, change it and run it. People who run a
          changed Satchel have to offer their source.
        </Trans>
      </p>
      <p>
        {source === null ? (
          <Trans>This site names no address of its source: ask the people who run it.</Trans>
        ) : (
          <a href={source} {...OUTSIDE}>
            <Trans>Source code of this site</Trans>
          </a>
        )}
        {docs !== null && (
          <>
            {' · '}
            <a href={docs} {...OUTSIDE}>
              <Trans>Documentation</Trans>
            </a>
          </>
        )}
      </p>
    </Part>
  );
}

const Check = () => (
  <Part title={<Trans>Check it yourself</Trans>}>
    <p>
      <Trans>
        Watch what your browser sends: open its developer tools, choose Network, then open a folder. No request has the
        part of the link after the # sign, and what comes back is encrypted.
      </Trans>
    </p>
    <p>
      <Trans>
        <Link to="/check" className={LINK}>
          Check this site
        </Link>{' '}
        says how to compare the pages that it sends with the ones of a release. In the source,{' '}
        <Code>npm run release:compare</Code> builds a release twice and shows that it is the same, byte for byte.
      </Trans>
    </p>
    <p>
      <Trans>
        Or trust nobody: <Code>npm start</Code> runs a Satchel of your own.
      </Trans>
    </p>
  </Part>
);

const More = () => (
  <Part title={<Trans>What the server sees</Trans>}>
    <p>
      <Trans>
        <Link to="/" hash="privacy" className={LINK}>
          A table on the start page
        </Link>{' '}
        says it for each kind of folder, and{' '}
        <Link to="/privacy" className={LINK}>
          Privacy
        </Link>{' '}
        says how long things stay and what we can’t promise.
      </Trans>
    </p>
  </Part>
);

/** Who is behind the site, and how a stranger finds out whether it does what it says. */
export function DocsPage() {
  const { t } = useLingui();
  useTitle(t`Who runs this, and how to check it`);
  return (
    <div className="wrap pt-12 pb-16">
      <h1 className="display text-4xl">
        <Trans>Who runs this, and how to check it</Trans>
      </h1>
      <div className="mt-12 grid max-w-3xl gap-10">
        <Runner />
        <Source />
        <Check />
        <More />
      </div>
    </div>
  );
}

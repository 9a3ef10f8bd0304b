import { Trans, useLingui } from '@lingui/react/macro';
import { AppError } from '@satchel/contract/errors';
import { MANIFEST_PATH, type SiteManifest } from '@satchel/contract/site-manifest';
import type { ReactNode } from 'react';
import { useServerQuery } from '../account/session/query-client.ts';
import { useTitle } from '../lib/browser/hooks.ts';
import { LoadedPart } from '../ui/sections/loaded-part.tsx';
import { Code, LINK, Part } from './privacy.tsx';

interface Said {
  readonly version: string;
  readonly fileCount: number;
  /** SHA-256 of the manifest in hex, as a release's SHA256SUMS has it. */
  readonly sha256: string;
}

const inHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** What the site says it runs: nothing more than its own word. */
async function readSaid(): Promise<Said> {
  const answer = await fetch(MANIFEST_PATH, { cache: 'no-cache' });
  if (!answer.ok) throw new AppError('request.not_found');
  const bytes = await answer.arrayBuffer();
  const { version, files } = JSON.parse(new TextDecoder().decode(bytes)) as SiteManifest;
  const sha256 = inHex(await crypto.subtle.digest('SHA-256', bytes));
  return { version, fileCount: Object.keys(files).length, sha256 };
}

const Fact = ({ label, children }: { label: ReactNode; children: ReactNode }) => (
  <div>
    <dt className="text-sm text-subtle">{label}</dt>
    <dd className="mt-0.5 text-ink">{children}</dd>
  </div>
);

function WhatItSays() {
  const { t } = useLingui();
  const query = useServerQuery({ queryKey: ['site-manifest'], queryFn: readSaid });
  return (
    <Part title={<Trans>What this site says it runs</Trans>}>
      <LoadedPart query={query} loading={t`Reading the manifest`}>
        {({ version, fileCount, sha256 }) => (
          <dl className="grid gap-3">
            <Fact label={<Trans>Release</Trans>}>{version}</Fact>
            <Fact
              label={
                <Trans>
                  <a href={MANIFEST_PATH} className={LINK}>
                    Manifest
                  </a>{' '}
                  of {fileCount} files, SHA-256
                </Trans>
              }
            >
              <span className="break-all font-mono text-sm">{sha256}</span>
            </Fact>
          </dl>
        )}
      </LoadedPart>
      <p>
        <Trans>
          The manifest names every file of these pages with its sum. Your browser has just computed the manifest’s own
          sum.
        </Trans>
      </p>
    </Part>
  );
}

function Compare() {
  const command = `satchel verify ${location.host}`;
  return (
    <Part title={<Trans>Compare it from outside</Trans>}>
      <ol className="grid list-decimal gap-3 pl-5">
        <li>
          <Trans>
            Get the command line <Code>satchel</Code> and the signed list of sums of that release. Don’t get them from
            this site: it would vouch for itself.
          </Trans>
        </li>
        <li>
          <Trans>Check the signature of the list, and that the sum of the manifest in it is the one above.</Trans>
        </li>
        <li>
          <Trans>
            Run <Code>{command}</Code>. It asks for every page and every file as a browser does, and names each one that
            is not the release’s.
          </Trans>
        </li>
      </ol>
    </Part>
  );
}

const Limits = () => (
  <Part title={<Trans>What this can’t show</Trans>}>
    <ul className="grid list-disc gap-3 pl-5">
      <li>
        <Trans>This page comes from the server that it speaks of. A server that lies can show anything here.</Trans>
      </li>
      <li>
        <Trans>
          A server can send another page to one visitor alone, or a minute later. The command sees what it gets, and not
          what you get.
        </Trans>
      </li>
      <li>
        <Trans>
          It compares what runs in your browser. What the server does with what it stores can’t be seen from outside.
        </Trans>
      </li>
    </ul>
    <p>
      <Trans>
        What doesn’t depend on this site: <Code>satchel get</Code> opens folders by code that you installed, and{' '}
        <Code>npm start</Code> runs a Satchel of your own.
      </Trans>
    </p>
  </Part>
);

/** How a stranger finds out whether the site serves the release that it names, and what can't be found out. */
export function CheckPage() {
  const { t } = useLingui();
  useTitle(t`Check this site`);
  return (
    <div className="wrap pt-12 pb-16">
      <h1 className="display text-4xl">
        <Trans>Check this site</Trans>
      </h1>
      <p className="mt-4 max-w-prose text-lg text-muted">
        <Trans>
          Files are encrypted in your browser, by code that this server sends. So check whether it sends the code that
          everybody can read.
        </Trans>
      </p>
      <div className="mt-12 grid max-w-3xl gap-10">
        <WhatItSays />
        <Compare />
        <Limits />
      </div>
    </div>
  );
}

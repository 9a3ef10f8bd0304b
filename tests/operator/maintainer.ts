import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { archiveIn, type Releases } from './releases.ts';

/** What others than the operator do: the maintainer, who signs, and who gives out certificates. */
export interface Maintainer {
  /** Where the maintainer's keys are. */
  readonly home: string;
  /** Signs the release by lines of docs/release.md, and brings it and the next one to the machine. */
  publish(lines: string): void;
  /** Makes a certificate that the machine and its visitors trust, where certbot would leave it. */
  certify(address: string): void;
}

export function createMaintainer(work: string, root: string, releases: Releases, visitorsFolder: string): Maintainer {
  const { folder, nextFolder } = releases;
  const home = join(work, 'maintainer');
  return {
    home,
    publish(lines) {
      rmSync(home, { recursive: true, force: true });
      mkdirSync(join(home, '.ssh'), { recursive: true });
      const options = { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] as ['ignore', 'ignore', 'inherit'] };
      execFileSync('/bin/bash', ['-e', '-c', `rm -f SHA256SUMS.sig\n${lines}`], options);
      for (const name of [archiveIn(folder), 'SHA256SUMS', 'SHA256SUMS.sig', 'allowed_signers']) {
        cpSync(join(folder, name), join(root, 'root', name));
      }
      cpSync(join(nextFolder, archiveIn(nextFolder)), join(root, 'root', archiveIn(nextFolder)));
    },
    certify(address) {
      const to = join(root, `/etc/letsencrypt/live/${address}`);
      const [key, certificate] = [join(to, 'privkey.pem'), join(to, 'fullchain.pem')];
      mkdirSync(to, { recursive: true });
      const name = ['-subj', `/CN=${address}`, '-addext', `subjectAltName=DNS:${address}`];
      const made = ['-newkey', 'rsa:2048', '-nodes', '-days', '3', '-keyout', key, '-out', certificate];
      execFileSync('openssl', ['req', '-x509', ...name, ...made], { stdio: 'ignore' });
      cpSync(certificate, join(visitorsFolder, 'cert.pem'));
      cpSync(certificate, join(root, 'usr/local/share/ca-certificates/trial.crt'));
    },
  };
}

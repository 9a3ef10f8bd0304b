import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNpm } from '../runtime/npm.mjs';
import { fail, ROOT } from '../runtime/paths.mjs';

/**
 * Of all packages: npm's own --omit=dev leaves out what any workspace names among its devDependencies, though another one
 * loads it when it runs.
 */
const SBOM_OF_ALL = ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'];
const DEVELOPMENT = 'cdx:npm:package:development';

/**
 * What a release consists of, by npm, in CycloneDX: all of package-lock.json but what is for development only.
 * @param {{ commit: string, timeSeconds: number }} source
 * @returns {Promise<object>} the same for one commit on every machine
 */
export async function makeSbom({ commit, timeSeconds }) {
  const { code, output } = await runNpm(SBOM_OF_ALL, { cwd: ROOT });
  if (code !== 0) fail('npm could not list what the release consists of (npm sbom).', output);
  const {
    serialNumber: _random,
    metadata,
    components,
    dependencies,
    ...rest
  } = JSON.parse(output.slice(output.indexOf('{')));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const isKept = isProduction(packages);
  const bom = {
    ...rest,
    metadata: {
      ...metadata,
      timestamp: new Date(timeSeconds * 1000).toISOString(),
      tools: metadata.tools.map(({ version: _ofThisMachine, ...tool }) => tool),
      component: settled(metadata.component),
    },
    components: components.filter((component) => isKept(component['bom-ref'])).map(settled),
    dependencies: dependencies
      .filter(({ ref }) => isKept(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept).sort() })),
  };
  const { $schema, bomFormat, specVersion, ...content } = bom;
  return { $schema, bomFormat, specVersion, serialNumber: serialOf({ commit, content }), ...content };
}

/** @returns {(reference: string) => boolean} whether the lockfile has it for more than development */
function isProduction(packages) {
  const references = Object.entries(packages)
    .filter(([, { dev, link }]) => !dev && !link)
    .map(([path, { name = path.split('node_modules/').at(-1), version }]) => `${name}@${version}`);
  const kept = new Set(references);
  return (reference) => kept.has(reference);
}

/** npm names a workspace after its folder, and each package's address after the registry of the machine. */
function settled(component) {
  const reference = component['bom-ref'];
  return {
    ...component,
    name: reference.slice(0, reference.lastIndexOf('@')),
    properties: component.properties.filter(({ name }) => name !== DEVELOPMENT),
    externalReferences: component.externalReferences.filter(({ type }) => type !== 'distribution'),
  };
}

/** A UUID of version 8, whose digits are a hash's (RFC 9562, section 5.8). */
function serialOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const digits = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${digits.join('-')}`;
}

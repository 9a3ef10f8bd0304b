import { expect, test } from 'vitest';
import { MIGRATIONS, migrationHash } from './migrations.ts';

/** Hashes that databases have stored since version 0.1.0, when a migration was one text. */
const KNOWN = [
  '27e52f02e260b500035fa3758abd4c52d0a4034012b70e8bfabc6a18ed70fde2',
  'cea5ca36266352c9cf290322acaa9a08827b8aaa7a6c512b995d212c0dc4c0ea',
  '7dc7389271207cbe147b42f378b64387e0f49cc3eea23c18ce251acd7c130eac',
  'd1d2667d8ae1d73ee7d7319894c2cac8bcd1fdc88937c7e55a7c65e697e0e323',
  '4d5cb2d839f4958e43dd96aa76fb2243ce822662be3ab2a33c404b2543405048',
  '4d7b42a4230ce33ff0ff7af334c3855d246cbad4d1505e63fc2cdd23444d98ea',
  '0d51f9d75b78ef3a632a5770efdc54c24468f4494270d2164a814c85a026661d',
  'eaff7d4067712c93b0f59b226581b94a1832d6e4dd7611e9010ac30b826a8816',
  '6b482441b3cd95937ddbbdd98e13977f1adead242ae7eacbcf02ee1c0b95b972',
  '8abc8eae6cb6b552fff9cd3d9b1223f6d58b10fa6bc28e7c672b257a8d218581',
  'c39fc6bf6fffcaf9747ae80117aa1b9f49e50dea9dbb36e6e40cf0ccdc315dfb',
];

test('a released migration keeps its hash', () => {
  expect(MIGRATIONS.slice(0, KNOWN.length).map(migrationHash)).toEqual(KNOWN);
});

test('migrations are numbered in order, without a gap', () => {
  expect(MIGRATIONS.map(({ id }) => id)).toEqual(MIGRATIONS.map((_, index) => index + 1));
});

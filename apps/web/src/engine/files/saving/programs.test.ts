import { expect, test } from 'vitest';
import { isProgram } from './programs.ts';

test('a program is one by its last ending, however it is written', () => {
  for (const name of ['setup.exe', 'SETUP.EXE', 'photo.jpg.scr', 'run.bat', 'a.js', 'x.ps1', 'x.dmg', 'x.apk'])
    expect(isProgram(name), name).toBe(true);
  // Windows saves them all as setup.exe.
  for (const name of ['setup.exe.', 'setup.exe ', 'setup.exe . ']) expect(isProgram(name), name).toBe(true);
  for (const name of ['photo.jpg', 'exe', 'notes.exe.txt', 'README', '.js.map', 'notes.json', ''])
    expect(isProgram(name), name).toBe(false);
});

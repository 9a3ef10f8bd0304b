/** Endings of files that an operating system runs, or installs, when they are opened. */
const PROGRAMS: ReadonlySet<string> = new Set(
  (
    'exe,com,bat,cmd,scr,pif,cpl,msi,msix,msixbundle,msp,appx,appxbundle,application,gadget,hta,lnk,reg,scf,xll,' +
    'js,jse,vb,vbs,vbe,wsf,wsh,ps1,psm1,psd1,jar,jnlp,chm,' +
    'app,dmg,pkg,mpkg,command,tool,workflow,scpt,applescript,' +
    'sh,bash,run,appimage,desktop,deb,rpm,flatpakref,snap,' +
    'apk,apkm,apks,xapk,aab,ipa'
  ).split(','),
);

/** Whether a file's name ends as a program's. Windows leaves out dots and spaces at the end of a name. */
export function isProgram(name: string): boolean {
  const [, ending = ''] = /\.([^.]+)$/.exec(name.replace(/[.\s]+$/, '')) ?? [];
  return PROGRAMS.has(ending.toLowerCase());
}

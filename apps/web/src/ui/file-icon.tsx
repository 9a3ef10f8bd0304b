import { File, FileArchive, FileAudio, FileImage, FileText, FileVideo } from 'lucide-react';

const ICONS = {
  image: FileImage,
  video: FileVideo,
  audio: FileAudio,
  document: FileText,
  archive: FileArchive,
  other: File,
} as const;

/** The icon of a kind of file. */
export function FileIcon({ kind, sizePx }: { kind: keyof typeof ICONS; sizePx: number }) {
  const Icon = ICONS[kind];
  return <Icon size={sizePx} strokeWidth={sizePx > 24 ? 1.4 : 1.75} aria-hidden />;
}

import { File, FileArchive, FileAudio, FileImage, FileText, FileVideo } from 'lucide-react';
import type { FileKind } from '../../engine/files/file-model.ts';

const ICONS = {
  image: FileImage,
  video: FileVideo,
  audio: FileAudio,
  document: FileText,
  archive: FileArchive,
  other: File,
} as const satisfies Record<FileKind, unknown>;

export function FileIcon({ kind, sizePx }: { kind: FileKind; sizePx: number }) {
  const Icon = ICONS[kind];
  return <Icon size={sizePx} strokeWidth={sizePx > 24 ? 1.4 : 1.75} aria-hidden />;
}

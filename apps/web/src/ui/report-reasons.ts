import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { ReportReason } from '@satchel/contract/abuse';

/** Why a folder is reported, in plain words, in the order in which they are offered. */
export const REPORT_REASONS: Readonly<Record<ReportReason, MessageDescriptor>> = {
  child_safety: msg`It harms or sexualises children`,
  illegal: msg`It is illegal in another way`,
  malware: msg`It has malware, or steals passwords or other data`,
  copyright: msg`It holds my work without my permission`,
  harassment: msg`It harasses or threatens a person`,
  other: msg`Something else`,
};

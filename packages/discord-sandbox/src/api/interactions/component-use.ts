import {
  type APIMessageTopLevelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord-api-types/v10';
import type { Component } from '../../chat/chat-entities.ts';
import { ChatError } from '../../chat/chat-error.ts';
import { partsWithin } from '../bodies/message-body.ts';

export interface Used {
  readonly custom_id: string;
  readonly component_type: number;
  readonly id?: number;
  readonly values?: readonly string[];
}

function checkValues({ options, min_values = 1, max_values = 1 }: Component, values: readonly string[]) {
  if (values.length < min_values || values.length > max_values) {
    throw new ChatError(`Choose from ${min_values} to ${max_values}.`);
  }
  const isKnown = (value: string) => options?.some((option) => option.value === value);
  if (!values.every(isKnown) || new Set(values).size !== values.length) throw new ChatError('That can’t be chosen.');
}

/** @throws ChatError where Discord's client would not let anybody click */
export function useComponent(
  components: readonly APIMessageTopLevelComponent[],
  { custom_id, values = [] }: { readonly custom_id: string; readonly values?: readonly string[] },
): Used {
  const parts = (components as readonly Component[]).flatMap(partsWithin);
  const part = parts.find((one) => one.custom_id === custom_id);
  if (part === undefined) throw new ChatError('That message has no such button.');
  if (part.disabled) throw new ChatError('That is disabled.');
  const used = { custom_id, component_type: part.type, ...(part.id !== undefined && { id: part.id }) };
  if (part.type === ComponentType.Button) return used;
  checkValues(part, values);
  return { ...used, values };
}

type Fields = Readonly<Record<string, string>>;

function fieldOf({ type, id, custom_id = '', label, ...part }: Component, fields: Fields) {
  const value = fields[custom_id] ?? '';
  const length = [...value].length;
  const { required = true, min_length = 0, max_length = 4000 } = part;
  if (required && length === 0) throw new ChatError(`${label ?? custom_id}: this field is required.`);
  const isTooShort = length > 0 && length < min_length;
  if (isTooShort || length > max_length) {
    throw new ChatError(`${label ?? custom_id}: from ${min_length} to ${max_length} characters.`);
  }
  return { type, custom_id, ...(id !== undefined && { id }), value };
}

/** A modal's fields as they are sent. @throws ChatError where Discord's client would not send them */
export function submittedFields({ components }: APIModalInteractionResponseCallbackData, fields: Fields) {
  const parts = (components as readonly Component[]).flatMap(partsWithin);
  const unknown = Object.keys(fields).find((name) => !parts.some(({ custom_id }) => custom_id === name));
  if (unknown !== undefined) throw new ChatError(`There is no field ${unknown}.`);
  return (components as readonly Component[]).map(({ type, id, component }) => ({
    type,
    ...(id !== undefined && { id }),
    ...(component && { component: fieldOf(component, fields) }),
  }));
}

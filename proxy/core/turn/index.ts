export type { AnswerItem, AnswerStatus, Usage } from './answer.ts';
export type {
  AddedTool,
  AllowedChange,
  CarriedItem,
  ReasoningSwitch,
  RequestChanges,
  ToolChoiceChange,
  ToolDefinition,
} from './changes.ts';
export type {
  AllowedEntry,
  DeclaredTool,
  DecodedRequest,
  NotATurnReason,
  OneHopReason,
  Protocol,
  ToolChoice,
  ToolKind,
  ToolList,
  Turn,
} from './turn.ts';

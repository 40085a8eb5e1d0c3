export { renderTable } from './table.ts';
export type { Column } from './table.ts';

export { commerceTools } from './commerce.ts';
export { engineeringTools } from './engineering.ts';
export { homeTools } from './home.ts';
export { officeTools } from './office.ts';
export { travelTools } from './travel.ts';

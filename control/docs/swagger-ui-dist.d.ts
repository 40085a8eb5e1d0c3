/** The package brings no types. */
declare module 'swagger-ui-dist/absolute-path.js' {
  /** The directory that holds the files of Swagger UI. */
  export default function absolutePath(): string;
}

// The folder itself, not the repository around it.
export default { turbopack: { root: import.meta.dirname } };

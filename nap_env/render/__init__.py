"""Pictures of a table: functions of what a viewer may see (`nap_env.render.view`), as text, SVG or pixels."""

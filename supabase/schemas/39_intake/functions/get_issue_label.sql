-- Called by workers before they look at issues. Empty for an archived product, which takes no issues.
create function operations.get_issue_label(p_product_id uuid)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  perform private.require_product_access(p_product_id);
  return (
    select json_build_object('label', case when p.archived_at is null then p.forge_issue_label else '' end)
    from public.products p where p.id = p_product_id);
end;
$$;

comment on function operations.get_issue_label is 'The label of the issues that come into triage; empty when none do.';
grant execute on function operations.get_issue_label to authenticated;

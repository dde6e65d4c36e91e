-- Why: what each file should hold now, for products that want pull requests: the accepted lessons, and the done tasks of
-- imported features, by feature and number. Null for none.
create function private.wanted_upkeeps(p_product_id uuid)
returns table (kind text, content json, digest text) language plpgsql stable set search_path = '' as $$
begin
  return query
    select w.kind, w.content, md5(coalesce(w.content::text, ''))
    from (
      values ('agents_md', private.accepted_lessons(p_product_id)), ('spec_boxes', private.done_boxes(p_product_id))
    ) w (kind, content)
    where exists (
      select from public.products p where p.id = p_product_id and p.archived_at is null and p.pull_requests <> 'none');
end;
$$;

-- Done tasks that an import made of boxes of Spec Kit: `001-beds/T003`.
create function private.done_boxes(p_product_id uuid) returns json language sql stable set search_path = '' as $$
  select json_agg(substr(t.external_id, 10) order by t.external_id)
  from public.tasks t where t.product_id = p_product_id and t.status = 'DONE' and t.external_id ~ '^spec-kit:[^/]+/T\d{1,6}[a-z]?$';
$$;

-- The branch of a file's pull request: every product has its own, also where several share a repository.
create function private.upkeep_branch(p_product public.products, p_kind text)
returns text language plpgsql stable set search_path = '' as $$
begin
  return format('%s/%s/%s', p_product.branch_prefix, private.branch_part(p_product.code, p_product.id), replace(p_kind, '_', '-'));
end;
$$;

-- Why: the state of each file that has content or had some, for the page of lessons. Content that no report
-- was about waits for a worker.
create function private.upkeep_states(p_product_id uuid) returns json language plpgsql stable set search_path = '' as $$
begin
  return (
    select coalesce(json_agg(json_build_object('kind', w.kind, 'state', case when u.digest = w.digest then u.state else 'waiting' end,
      'url', u.url, 'branch', private.upkeep_branch(p, w.kind), 'words', u.words) order by w.kind), '[]')
    from private.wanted_upkeeps(p_product_id) w
    join public.products p on p.id = p_product_id
    left join public.upkeeps u on u.product_id = p_product_id and u.kind = w.kind
    where w.content is not null or u.state <> 'merged' or u.digest <> w.digest);
end;
$$;

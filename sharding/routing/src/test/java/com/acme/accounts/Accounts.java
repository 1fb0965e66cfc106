package com.acme.accounts;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.shardedid.routing.ShardKey;

import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.domain.Sort;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.JpaSpecificationExecutor;
import org.springframework.data.jpa.repository.NativeQuery;
import org.springframework.data.jpa.repository.Query;
import org.springframework.transaction.annotation.Transactional;

/** What a query can be. */
public interface Accounts extends JpaRepository<Account, Long>, JpaSpecificationExecutor<Account> {

    List<Account> findByEmail(String email);

    List<Account> findByNameAndEmail(String name, String email);

    List<Account> findByEmailOrName(String email, String name);

    List<Account> findByIdOrName(Long id, String name);

    List<Account> findByEmailAndNameOrName(String email, String name, String other);

    List<Account> findByEmailNot(String email);

    List<Account> findByIdNot(Long id);

    List<Account> findByEmailNotIn(Collection<String> emails);

    List<Account> findByEmailBetween(String from, String to);

    List<Account> findByIdGreaterThan(Long id);

    List<Account> findByEmailContaining(String part);

    List<Account> findByEmailLike(String pattern);

    List<Account> findByEmailIgnoreCase(String email);

    List<Account> findByEmailAndNameAllIgnoreCase(String email, String name);

    @Query("from Account a where a.email = :email or a.name = :name")
    List<Account> findDistinctByEmailAndName(String email, String name);

    @NativeQuery("select * from account where email = :email or name = :name")
    List<Account> readByEmailAndName(String email, String name);

    /** The query of this name stands at the entity. */
    List<Account> queryByEmailAndName(String email, String name);

    @Query("from Account a where a.email = :email")
    List<Account> marked(@ShardKey String email);

    List<Account> findByEmailIn(Collection<String> emails);

    List<Account> findByIdIn(List<Long> ids);

    Set<Account> findByNameAndIdIn(String name, Set<Long> ids);

    long countByEmailIn(Collection<String> emails);

    boolean existsByEmailIn(Collection<String> emails);

    @Transactional
    int deleteByEmailIn(Collection<String> emails);

    @Transactional
    void removeByIdIn(Collection<Long> ids);

    List<Account> findByEmailInOrName(Collection<String> emails, String name);

    List<Account> findByEmailInOrderByIdDesc(Collection<String> emails);

    List<Account> findTop2ByEmailIn(Collection<String> emails);

    List<Account> findDistinctByEmailIn(Collection<String> emails);

    List<Account> findByEmailIn(Collection<String> emails, Sort sort);

    Page<Account> findByEmailIn(Collection<String> emails, Pageable page);

}

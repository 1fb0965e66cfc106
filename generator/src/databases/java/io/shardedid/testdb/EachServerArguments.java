package io.shardedid.testdb;

import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** Carries out {@link EachServer}. */
final class EachServerArguments implements ArgumentsProvider {

    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
        Set<TestServer> except = Set.of(context.getRequiredTestMethod().getAnnotation(EachServer.class).except());
        return Stream.of(TestServer.values())
            .filter((server) -> !except.contains(server))
            .filter(TestServer::isThere)
            .map(Arguments::of);
    }

}
